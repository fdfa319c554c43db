/* show.h - escapes text from outside, so that it cannot control a terminal or add lines to a log.
 *
 *      labels, reasons, names of files and programs --show_*()--> the text that a person reads
 *      the HTTP interface, recordings, files and pipes: the bytes as they are
 *
 * Escaped  line feed, carriage return and tab become \n, \r and \t.  \u and four hexadecimal digits replace all other
 *          control characters (U+0000..1F, U+007F..9F), invisible characters, characters that turn the direction of
 *          writing, and separators of lines and paragraphs.  \x and two digits replace a byte that is not UTF-8.
 *          Everything else stays, a backslash too.
 * Thread   any; show_print() writes in one piece.
 */
#ifndef HEATSCOPE_SHOW_H
#define HEATSCOPE_SHOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define SHOW_MAX 6			/* bytes of the longest escape: \u202e */

/* Escapes len bytes into out, which has `room` bytes, NUL included; cuts between characters.  Returns the length of the
 * whole escaped text, without the NUL. */
size_t show_escape(const char *text, size_t len, char *out, size_t room);

/* Returns how many columns the escaped text takes: one per character. */
size_t show_width(const char *text);

/* Like fprintf(), but escapes every %s, and a width counts characters.  The format is ours: d i u x c f e g s with
 * their flags. */
void show_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes lines of text that we made: escapes all but their ends, LF or CR LF.  csv: no line ends between quotation
 * marks. */
void show_lines(FILE *out, const char *text, size_t len, bool csv);

#endif
