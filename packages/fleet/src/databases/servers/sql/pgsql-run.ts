/** What a query prints is run as the next statement. */
export const RUN = ' \\gexec'

// A statement that fails is written into the server's log, password and all.
export const SILENT =
  'SET log_min_error_statement = panic; SET log_statement = none; SET log_min_duration_statement = -1;'

/** Until version 15 everybody creates in the schema `public` of a database, and its owner as one of them. */
export const keepPublic = (owner: string): readonly string[] => [
  `SELECT unnest(ARRAY['GRANT ALL ON SCHEMA public TO ' || quote_ident(${owner}), 'REVOKE CREATE ON SCHEMA public FROM PUBLIC']) FROM pg_namespace WHERE nspname = 'public'${RUN}`,
]
