/* SPDX-License-Identifier: Apache-2.0
 *
 * A service behind AF_UNIX seqpacket sockets, which stands for a framework that enters the kernel
 * for each operation. A message is a job, and the answer another message. The kernels are the
 * library's own, as on the ring, so that only the transport of the jobs differs. The service caches
 * only the last key, blocks in recv, and serves a single client: it has less to do than a real one.
 */
#ifndef BENCH_SEQPACKET_H
#define BENCH_SEQPACKET_H

#include <headrace/queue.h>

enum { SEQPACKET_MAX = 1 << 14 }; /* bytes of a message */

/* Serves until the client hangs up. `spin`: polls repeatedly before it sleeps. */
void seqpacket_serve(int fd, int spin);
/* Sends a job: a digest, MAC or cipher with its key as bytes, without segments. Returns 0, or
 * HR_ESYSTEM. */
int seqpacket_send(int fd, const struct hr_job *job);
/* Receives the answer of the oldest job that was sent, with `flags` of recv(2), and sets the
 * job's result. Returns 0, HR_EPENDING if MSG_DONTWAIT finds no answer, or HR_ESYSTEM. */
int seqpacket_receive(int fd, struct hr_job *job, int flags);

#endif
