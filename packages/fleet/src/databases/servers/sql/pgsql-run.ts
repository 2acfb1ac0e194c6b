/** What a query prints is run as the next statement. */
export const RUN = ' \\gexec'

// A statement that fails is written into the server's log, password and all.
export const SILENT =
  'SET log_min_error_statement = panic; SET log_statement = none; SET log_min_duration_statement = -1;'
