import { spawnSync } from 'node:child_process'

/** What `caddy version` prints; undefined where Caddy is not installed. */
export function caddyVersion(programs: Readonly<Record<string, string>>): string | undefined {
  const { status, stdout } = spawnSync('caddy', ['version'], { env: programs, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}
