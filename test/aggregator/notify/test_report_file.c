#include "aggregator/notify/report_file.h"
#include "test/kit/check.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char folder[80];

static int start(void **state)
{
	setenv("TZ", "CET-1", 1);
	tzset();
	strcpy(folder, "/tmp/heatscope-report-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

/* Lists the names, sorted, each followed by a newline. */
static const char *listing(void)
{
	static char text[4000];
	struct dirent **list;
	int n = scandir(folder, &list, NULL, alphasort);
	size_t at = 0;

	*text = 0;
	for (int i = 0; i < n; i++) {
		if (strcmp(list[i]->d_name, ".") && strcmp(list[i]->d_name, ".."))
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s\n", list[i]->d_name);
		free(list[i]);
	}
	free(list);
	return text;
}

static int stop(void **state)
{
	char path[400], *name = strtok((char *)listing(), "\n");

	for (; name; name = strtok(NULL, "\n")) {
		snprintf(path, sizeof(path), "%s/%s", folder, name);
		remove(path);
	}
	return rmdir(folder);
}

static struct report_file at_s(__s64 due_s)
{
	return (struct report_file){ .folder = folder, .report = "nightly", .instrumentation = "queries", .format = "pdf", .due_s = due_s };
}

static void put_file(const char *name)
{
	char path[400];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fclose(f);
}

TEST_WITH(it_is_named_by_its_time_and_whole, start, stop)
{
	struct report_file f = at_s(1700000000);
	char reason[REPORT_FILE_REASON], path[400], read[8] = "";
	FILE *in;

	assert_int_equal(report_file_write(&f, "%PDF-", 5, reason), 0);
	assert_string_equal(listing(), "nightly-queries-20231114T231320+0100.pdf\n");
	assert_int_equal(report_file_write(&f, "again", 5, reason), 0);		/* replaces the file */
	assert_string_equal(listing(), "nightly-queries-20231114T231320+0100.pdf\n");
	snprintf(path, sizeof(path), "%s/nightly-queries-20231114T231320+0100.pdf", folder);
	in = fopen(path, "r");
	assert_int_equal(fread(read, 1, sizeof(read), in), 5);
	fclose(in);
	assert_string_equal(read, "again");
}

TEST_WITH(no_character_of_a_name_leads_out_of_the_folder, start, stop)
{
	struct report_file f = at_s(1700000000);
	char reason[REPORT_FILE_REASON];

	f.report = "a b/../c";
	f.instrumentation = "mysql.queries by ü";
	assert_int_equal(report_file_write(&f, "x", 1, reason), 0);
	assert_string_equal(listing(), "a-b-..-c-mysql.queries-by----20231114T231320+0100.pdf\n");
}

TEST_WITH(the_newest_of_its_own_files_are_kept_and_no_other_is_touched, start, stop)
{
	static const char *const others[] = { "nightly-queries-20231114T231320+0100.png", "nightly-queries-notes.pdf", "nightly-queries2-20201114T231320+0100.pdf",
					      "other.txt", "nightly-queries-20201114T231320+0100.pdf.bak" };
	char reason[REPORT_FILE_REASON];

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		put_file(others[i]);
	for (int day = 0; day < 10; day++) {
		struct report_file f = at_s(1700000000 + 86400 * day);

		f.keep = 3;
		assert_int_equal(report_file_write(&f, "x", 1, reason), 0);
	}
	assert_string_equal(listing(), "nightly-queries-20201114T231320+0100.pdf.bak\nnightly-queries-20231114T231320+0100.png\n"
			    "nightly-queries-20231121T231320+0100.pdf\nnightly-queries-20231122T231320+0100.pdf\nnightly-queries-20231123T231320+0100.pdf\n"
			    "nightly-queries-notes.pdf\nnightly-queries2-20201114T231320+0100.pdf\nother.txt\n");
}

static mode_t mode_of(const char *path, gid_t *ret_group)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	*ret_group = st.st_gid;
	return st.st_mode & 0777;
}

TEST_WITH(their_group_reads_them_whatever_the_umask, start, stop)
{
	struct report_file f = at_s(1700000000);
	char made[200], file[400], reason[REPORT_FILE_REASON];
	gid_t group, its = geteuid() ? getegid() : 12;
	mode_t before = umask(077);

	snprintf(made, sizeof(made), "%s/reports", folder);
	f.folder = made;
	assert_int_equal(report_file_write(&f, "x", 1, reason), 0);
	assert_int_equal(mode_of(made, &group), 0750);
	assert_int_equal(chown(made, (uid_t)-1, its), 0);
	assert_int_equal(chmod(made, 02770), 0);	/* as if a user had set the mode */
	assert_int_equal(report_file_write(&f, "x", 1, reason), 0);
	assert_int_equal(mode_of(made, &group), 0770);
	snprintf(file, sizeof(file), "%s/nightly-queries-20231114T231320+0100.pdf", made);
	assert_int_equal(mode_of(file, &group), 0640);
	assert_int_equal(group, its);
	umask(before);
	assert_int_equal(unlink(file), 0);
	assert_int_equal(rmdir(made), 0);
}

TEST_WITH(a_new_folder_keeps_the_group_of_its_parent, start, stop)
{
	struct report_file f = at_s(1700000000);
	char made[200], file[400], reason[REPORT_FILE_REASON];
	gid_t its = geteuid() ? getegid() : 12;
	struct stat st;

	assert_int_equal(chown(folder, (uid_t)-1, its), 0);
	assert_int_equal(chmod(folder, 02770), 0);
	snprintf(made, sizeof(made), "%s/reports", folder);
	f.folder = made;
	assert_int_equal(report_file_write(&f, "x", 1, reason), 0);
	assert_int_equal(stat(made, &st), 0);
	assert_int_equal(st.st_mode & 07777, 02750);
	snprintf(file, sizeof(file), "%s/nightly-queries-20231114T231320+0100.pdf", made);
	assert_int_equal(stat(file, &st), 0);
	assert_int_equal(st.st_gid, its);
	assert_int_equal(unlink(file), 0);
	assert_int_equal(rmdir(made), 0);
}

TEST_WITH(the_new_file_is_kept_if_the_clock_was_set_back, start, stop)
{
	static const int days[] = { 30, 31, 32, 1, 2 };
	char reason[REPORT_FILE_REASON];

	for (size_t i = 0; i < sizeof(days) / sizeof(*days); i++) {
		struct report_file f = at_s(1700000000 + 86400 * days[i]);

		f.keep = 2;
		assert_int_equal(report_file_write(&f, "x", 1, reason), 0);
	}
	assert_string_equal(listing(), "nightly-queries-20231116T231320+0100.pdf\nnightly-queries-20231216T231320+0100.pdf\n");
}

TEST_WITH(a_folder_is_made_but_not_a_path, start, stop)
{
	struct report_file f = at_s(1700000000);
	char path[200], deep[300], reason[REPORT_FILE_REASON], file[400];

	snprintf(path, sizeof(path), "%s/reports", folder);
	snprintf(deep, sizeof(deep), "%s/no/reports", folder);
	f.folder = deep;
	assert_int_equal(report_file_write(&f, "x", 1, reason), -ENOENT);
	assert_non_null(strstr(reason, "there is no folder /tmp/heatscope-report-"));
	f.folder = path;
	assert_int_equal(report_file_write(&f, "x", 1, reason), 0);
	snprintf(file, sizeof(file), "%s/nightly-queries-20231114T231320+0100.pdf", path);
	assert_int_equal(unlink(file), 0);
	assert_int_equal(rmdir(path), 0);
	put_file("reports");
	assert_true(report_file_write(&f, "x", 1, reason) < 0);
}

TEST_WITH(a_folder_is_checked_before_a_report_is_due, start, stop)
{
	char path[200], reason[REPORT_FILE_REASON];

	assert_int_equal(report_file_check(folder, reason), 0);
	snprintf(path, sizeof(path), "%s/new", folder);
	assert_int_equal(report_file_check(path, reason), 0);
	assert_string_equal(listing(), "");
	snprintf(path, sizeof(path), "%s/new/", folder);
	assert_int_equal(report_file_check(path, reason), 0);
	snprintf(path, sizeof(path), "%s/new/newer", folder);
	assert_int_equal(report_file_check(path, reason), -ENOENT);
	assert_non_null(strstr(reason, "the folder cannot be made:"));
	put_file("file");
	snprintf(path, sizeof(path), "%s/file", folder);
	assert_int_equal(report_file_check(path, reason), -ENOTDIR);
	assert_non_null(strstr(reason, "there is no folder"));
	assert_int_equal(chmod(folder, 0500), 0);
	snprintf(path, sizeof(path), "%s/new", folder);
	assert_int_equal(report_file_check(path, reason), geteuid() ? -EACCES : 0);
	assert_int_equal(chmod(folder, 0700), 0);
}

TEST_MAIN()
