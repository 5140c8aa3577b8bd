/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REGULAR_H
#define REGULAR_H

/* Opens a regular file for reading, without waiting; -1 if it is none. The path may be another
 * user's choice: a device or a FIFO is not opened at all, because opening one may have an effect
 * (/dev/watchdog reboots the machine). */
int regular_open(const char *path);

#endif
