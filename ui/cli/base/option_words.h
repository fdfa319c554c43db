/* option_words.h - says a refusal of heatscoped in the words of the command: options for parameters, spans for seconds.
 *
 *      value "300" for parameter "width" is invalid: minimum is 400        ->  --width 300: minimum is 400
 *      end_time must be after start_time                                   ->  --end must be after --start
 *
 * Pure    A sentence that names no parameter with an option stays as it is.
 */
#ifndef HEATSCOPE_OPTION_WORDS_H
#define HEATSCOPE_OPTION_WORDS_H

#include <stddef.h>

/* Rewrites the sentence, which has `room` bytes. */
void option_words(char *reason, size_t room);

#endif
