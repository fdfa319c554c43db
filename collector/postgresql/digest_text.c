#include "collector/postgresql/digest_text.h"
#include "collector/postgresql/digest.h"
#define DIGEST_READ postgresql_digest_read
#include "collector/server/digest_read.h"
