/* SPDX-License-Identifier: Apache-2.0 */
/* Opens key files that are sealed (seal.h), by a key that the administrator hands over: in
 * systemd's credential "sealing-key" or, without one, in a file. */
#ifndef HR_SEALING_H
#define HR_SEALING_H

#include <stddef.h>

/* sealing_begin says where the key is, for the files that are read from now on.  It is read when
 * the first sealed file asks for it.  The key that was read before stays in use where there is none
 * now. */
void sealing_begin(const char *credentials, const char *file);
/* sealing_open makes a key file's text one for keyfile_parse.  Returns 0; SEALING_ANOTHER: it is
 * sealed under a key that was not handed over yet; or -1 after a message: the file is sealed and
 * cannot be opened. */
enum { SEALING_ANOTHER = 1 };
int sealing_open(char *text, size_t *len, const char *name);

#endif
