import { createHash } from 'node:crypto'
import { Secret } from '@fleet/kernel'
import { type Command, script, withStdin } from '@fleet/shell'
import { type EnvironmentPlace, placeWords, PREAMBLE } from '#/environment/commands/preamble.ts'

export interface FileWrite {
  readonly place: EnvironmentPlace
  /** Name part of the candidate file, new for every attempt. */
  readonly attempt: string
  /** What inspection found: the write is refused when something else stands there by then. */
  readonly before: Uint8Array | undefined
  readonly content: string
}

/**
 * Writes a candidate of mode 0600 beside the file, proves it, flushes it and renames it over the file (ENV-045).
 * Digests and content travel on standard input: a digest of a short secret in an argument list would tell it.
 */
export function writeFile({ place, attempt, before, content }: FileWrite): Command {
  const bytes = Buffer.from(content, 'utf8')
  const head = `${before ? sha256(before) : 'missing'} ${sha256(bytes)}\n`
  return withStdin(
    script(WRITE, ...placeWords(place), `.env.fleet-sync-${attempt}`),
    new Secret(head + content),
  )
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

const WRITE = `# write the environment file
${PREAMBLE}
candidate=./$1
if command -v sha256sum >/dev/null; then tool=sha256sum
elif command -v shasum >/dev/null; then tool='shasum -a 256'
elif command -v openssl >/dev/null; then tool='openssl dgst -sha256 -r'
else refuse digest_missing; fi
digest() { sum=$($tool) && echo "\${sum%% *}"; }
current() {
  if [ -L ./.env ]; then echo link
  elif [ ! -e ./.env ]; then echo missing
  elif [ -f ./.env ] && [ -O ./.env ]; then digest <./.env
  else echo other; fi
}
# GNU sync flushes one file and tells when that fails; the others flush everything.
if sync --version >/dev/null; then flush() { sync "$1"; }; else flush() { sync; }; fi

read -r before after || refuse content_incomplete
enter
trap 'rm -f -- "$candidate"' EXIT
trap 'exit 1' HUP INT PIPE TERM
sweep
# No overwriting: a link planted under the candidate's name is never followed. The mode comes before the content,
# because a default access list of the directory would undo the mask.
problem=$( (set -C && : >"$candidate") 2>&1) || refuse "$(why "$problem" write_failed)"
chmod 600 "$candidate" || refuse write_failed
problem=$(cat 2>&1 >"$candidate") || refuse "$(why "$problem" write_failed)"
[ "$(digest <"$candidate")" = "$after" ] || refuse content_incomplete
flush "$candidate" || refuse write_failed
[ "$(current)" = "$before" ] || refuse file_changed
problem=$(mv -f -- "$candidate" ./.env 2>&1) || refuse "$(why "$problem" write_failed)"
trap - EXIT
flush .
look
[ "$(current)" = "$after" ] && [ "$mode" = private ] || refuse not_confirmed
field written yes
`
