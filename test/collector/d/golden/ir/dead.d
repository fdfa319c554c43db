BEGIN { if (0) { trace(1); } if (1) { trace(2); } else { trace(3); } }
