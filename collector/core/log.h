/* log.h - writes one line per event to stderr, for people and for the journal.
 *
 * Form    the name of the daemon and a sentence.  If systemd's journal reads stderr ($JOURNAL_STREAM), the line begins
 *         with a priority <N> (sd-daemon(3)).  The text is escaped as show.h says, so it never has a second line.
 */
#ifndef HEATSCOPE_LOG_H
#define HEATSCOPE_LOG_H

enum log_level { LOG_LEVEL_ERROR = 3, LOG_LEVEL_WARNING = 4, LOG_LEVEL_INFO = 6, LOG_LEVEL_DEBUG = 7 };

/* Sets the form of the lines.  name: precedes each sentence, constant; NULL: no name.  Events less urgent than `most`
 * are not written; default LOG_LEVEL_INFO. */
void log_open(const char *name, enum log_level most);

void log_line(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define log_error(...) log_line(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warning(...) log_line(LOG_LEVEL_WARNING, __VA_ARGS__)
#define log_info(...) log_line(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...) log_line(LOG_LEVEL_DEBUG, __VA_ARGS__)

#endif
