import { block, type Entry, Raw } from '#/web-server/caddyfile/blocks.ts'
import type { FileSite } from '#/web-server/site.ts'

/** Behind the name of a source: a copy such as `index.php.bak` and `index.php~`, or the rest of a path. */
const COPY = '[^a-z0-9/][^/]*'

/**
 * What a site of files answers with 404 before it looks for a file: hidden files, among them `.env` and `.git`, but not
 * `/.well-known`; source text of PHP; scripts among uploads; and redirects to other servers. Servers of tools come before it. Caddy
 * compares the decoded and cleaned path.
 */
export const refusals = ({ php }: Pick<FileSite, 'php'>): readonly Entry[] => [
  block(
    ['@hidden'],
    [
      ['path', '*/.*'],
      ['not', 'path', '/.well-known', '/.well-known/*'],
    ],
  ),
  ['respond', '@hidden', '404'],
  ['@nested', 'path_regexp', regexp(String.raw`(?i)^/\.well-known(/.*)?/\.`)],
  ['respond', '@nested', '404'],
  ['@source', 'path_regexp', regexp(php === undefined ? ANY_SOURCE : SOURCE_BUT_SCRIPTS)],
  ['respond', '@source', '404'],
  ...(php === undefined ? [] : UPLOADED),
]

const OTHER_SOURCE = String.raw`\.(php[0-9s]+|pht|phtml|phar|inc)(${COPY})?(/|$)`
const ANY_SOURCE = String.raw`(?i)(\.php(${COPY})?(/|$)|${OTHER_SOURCE})`
const SOURCE_BUT_SCRIPTS = String.raw`(?i)(\.php${COPY}(/|$)|${OTHER_SOURCE})`

/** Backticks: nothing in it means anything to Caddy. */
function regexp(text: string): Raw {
  return new Raw(`\`${text}\``)
}

/**
 * What visitors may have sent, in the folder of Laravel and in any of that name: nothing in it is run. A path that begins like the name
 * of a server and leads back up would come out as a redirect to that server, where it ends at a folder with an index.
 */
const UPLOADED: readonly Entry[] = [
  ['@elsewhere', 'expression', regexp(String.raw`{http.request.orig_uri.path}.matches('^/[/\\\\].*[.][.]')`)],
  ['respond', '@elsewhere', '404'],
  ['@upload', 'path_regexp', regexp(String.raw`(?i)^/(storage|(.*/)?uploads)/.*\.php`)],
  ['respond', '@upload', '404'],
]
