/* standard_output.h - ends a program with status 1 and a sentence if its standard output could not be written.
 *
 *      int main(int argc, char **argv)
 *      {
 *              standard_output_guard("heatscope");
 *
 * Holds   for every way to end by exit() or return, also that of --help and --version.  A program that has failed keeps its
 *         status and has said why.  A reader that has gone (`| head`) is no reason for a sentence.
 */
#ifndef HEATSCOPE_STANDARD_OUTPUT_H
#define HEATSCOPE_STANDARD_OUTPUT_H

void standard_output_guard(const char *program);

#endif
