#!/bin/sh
# The page's unit tests; they need Node and nothing else.
cd "$(dirname "$0")/.." && exec node --test --test-reporter=tap test/*.test.js
