#include "collector/mysql/digest_text.h"
#include "collector/mysql/digest.h"
#define DIGEST_READ mysql_digest_read
#include "collector/server/digest_read.h"
