/* conf_limits.h - defines the longest texts of the configuration; conf.h reads them. */
#ifndef HEATSCOPE_CONF_LIMITS_H
#define HEATSCOPE_CONF_LIMITS_H

#include <limits.h>			/* PATH_MAX */

#define CONF_REASON_MAX 512		/* a sentence that says what is wrong */
#define CONF_NAME_MAX 64		/* the name of an instrumentation, an alert, a report or a webhook */
#define CONF_REQUEST_MAX 1500		/* JSON */
#define CONF_URL_MAX 1024
#define CONF_HOSTS_MAX 1024

#endif
