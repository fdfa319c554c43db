BEGIN { x = pid * 3 + 1; y = x / (x - 1u); trace((char)(x >> y)); z = -x ^ ~y; exit(z % 7); }
