-- before
  SELECT 1