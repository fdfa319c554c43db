/* preprocess.h - runs a script through the C preprocessor: -C.
 *
 *      text --cpp--> text with marks, # LINE "FILE", of which d_fail() takes the places of errors
 *
 * Shape   the program reads the text on its standard input; its messages go to our standard error.  In the #! line, which
 *         is no directive of C, blanks take the place of the two characters and of all that follow.
 * Errors  -ENOENT ...: the program did not start; -EINVAL: it refused the text, and said why; -E2BIG: the result is longer
 *         than D_SCRIPT_MAX; -ENOMEM.
 * Thread  any; it waits for the program.
 */
#ifndef HEATSCOPE_D_PREPROCESS_H
#define HEATSCOPE_D_PREPROCESS_H

#include <stddef.h>

/* command: the program's path or name, and its arguments, ended by NULL.  *text: n bytes by malloc(); replaced. */
int d_preprocess(const char *const *command, char **text, size_t *n);

#endif
