#include "collector/d/provider/module.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A line of /proc/PID/maps: "START-END rwxp OFFSET DEVICE INODE   PATH".  NULL: no file that is executed. */
static const char *executed_file(char *line)
{
	char *path = strchr(line, '/'), *rights = strchr(line, ' ');

	if (!path || !rights || strlen(rights) < 5 || rights[3] != 'x')
		return NULL;
	path[strcspn(path, "\n")] = '\0';
	return path;
}

/* line: of the mapping. */
static void module_set(struct d_module *m, __u32 pid, const char *line, const char *path, const char *main_path)
{
	unsigned long long from = 0, offset = 0;
	char *deleted;

	*m = (struct d_module){ .pid = pid, .is_main = !strcmp(path, main_path) };
	sscanf(line, "%llx-%*x %*s %llx", &from, &offset);
	m->from = from;
	m->offset = offset;
	if (m->is_main)			/* also if it was replaced meanwhile */
		snprintf(m->path, sizeof(m->path), "/proc/%u/exe", pid);
	else
		snprintf(m->path, sizeof(m->path), "/proc/%u/root%.*s", pid, PATH_MAX, path);
	snprintf(m->name, sizeof(m->name), "%.*s", NAME_MAX, strrchr(path, '/') + 1);
	deleted = strstr(m->name, " (deleted)");
	if (deleted)
		*deleted = '\0';
}

static int each_of(__u32 pid, FILE *maps, const char *main_path, int (*each)(void *context, const struct d_module *m), void *context)
{
	struct d_module m = { .name = "" }, before = { .name = "" };
	char line[PATH_MAX + 128];
	int err = 0;

	while (!err && fgets(line, sizeof(line), maps)) {
		const char *file = executed_file(line);

		if (!file)
			continue;
		module_set(&m, pid, line, file, main_path);
		if (strcmp(m.path, before.path))
			err = each(context, &m);
		before = m;
	}
	return err;
}

int d_modules_each(__u32 pid, int (*each)(void *context, const struct d_module *m), void *context)
{
	char path[64], main_path[PATH_MAX + 1] = "";
	FILE *maps;
	int err;

	snprintf(path, sizeof(path), "/proc/%u/exe", pid);
	if (readlink(path, main_path, PATH_MAX) < 0)
		return -errno;
	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	maps = fopen(path, "r");
	if (!maps)
		return -errno;
	err = each_of(pid, maps, main_path, each, context);
	fclose(maps);
	return err;
}
