/**
 * First words of the statements of MySQL and MariaDB that are no reads (sql-statements.html of both). A text that begins
 * with a word that is in no list is a mistake.
 */
export const ACTING_VERBS: ReadonlySet<string> = new Set(
  (
    'alter backup begin binlog cache call change check checksum clone close commit create deallocate declare delete do drop ' +
    'end execute fetch flush for get grant handler if import insert install iterate kill leave load lock loop open ' +
    'optimize prepare purge release rename repair repeat replace reset resignal restart return revoke rollback savepoint ' +
    'set shutdown signal start stop truncate uninstall unlock update use while xa'
  ).split(' '),
)
