/* show.h - text from outside on its way to a terminal or into a log: nothing in it is obeyed, each line is ours.
 *
 *      labels, reasons, names of files and programs --show_*()--> what a person reads
 *      the HTTP interface, recordings, files and pipes: the bytes as they are
 *
 * Escaped  line feed, carriage return and tab as \n, \r and \t; every other control character (U+0000..1F, U+007F..9F), characters that turn the
 *          direction of writing or cannot be seen, and the separators of lines and paragraphs as \u and four hexadecimal digits;
 *          bytes that are not UTF-8 as \x and two.  All else stays, a backslash too.
 * Thread   any; show_print() writes in one piece.
 */
#ifndef HEATSCOPE_SHOW_H
#define HEATSCOPE_SHOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define SHOW_MAX 6			/* an escape is not longer: \u202e */

/* Escapes len bytes into out, room bytes with the NUL at its end, cut between characters.  Returns how many bytes all of it takes,
 * without the NUL. */
size_t show_escape(const char *text, size_t len, char *out, size_t room);

/* Columns that a text takes once it is escaped: one per character. */
size_t show_width(const char *text);

/* As fprintf(), but every %s is escaped, and its width counts characters.  The format is ours: d i u x c f e g s with their flags. */
void show_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Lines of text that we made: all is escaped but their ends, LF or CR LF.  csv: a line does not end between quotation marks. */
void show_lines(FILE *out, const char *text, size_t len, bool csv);

#endif
