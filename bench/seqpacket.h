/* SPDX-License-Identifier: Apache-2.0
 *
 * A service behind AF_UNIX seqpacket sockets: the stand-in for a framework that enters the kernel
 * for each operation.  A message is a job, its answer another; the kernels are the library's own,
 * as on the ring, so that what differs is how jobs travel.  The service keeps the last key that it
 * saw, blocks in recv and serves one client alone: it has less to do than a real one.
 */
#ifndef BENCH_SEQPACKET_H
#define BENCH_SEQPACKET_H

#include <headrace/queue.h>

enum { SEQPACKET_MAX = 1 << 14 }; /* bytes of a job's message */

/* Serves until the client hangs up; `spin`: looks again and again before it sleeps. */
void seqpacket_serve(int fd, int spin);
/* A digest, MAC or cipher with its key as bytes, without segments.  0, or HR_ESYSTEM. */
int seqpacket_send(int fd, const struct hr_job *job);
/* The answer of the oldest job that was sent; `flags` of recv(2).  0, HR_EPENDING where
 * MSG_DONTWAIT finds none, or HR_ESYSTEM; the job's own result is in it. */
int seqpacket_receive(int fd, struct hr_job *job, int flags);

#endif
