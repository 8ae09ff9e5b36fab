SELECT 1 -- a comment \
that goes on