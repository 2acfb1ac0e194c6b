import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '@fleet/kernel'

/** Path of the Caddy of this machine; undefined where none is installed. */
export const CADDY = ((): string | undefined => {
  try {
    return execFileSync('sh', ['-c', 'command -v caddy'], { encoding: 'utf8' }).trim()
  } catch {
    return undefined
  }
})()

/** A machine whose root is a folder here and whose programs are files of `fake`, with the recorded systemd. */
export interface CaddyMachine {
  at(path: string): string
  write(path: string, text: string): void
  /** A program of the machine, by the text of its script without the first line. */
  install(name: string, script: string): void
}

export interface RealCaddyOptions {
  /** The root of the machine by a path without spaces, which no site of the product has. */
  readonly place: string
  /** A command that prints a file of Fleet with the ports, addresses and folders of this machine. */
  readonly moved: string
}

/** The server's administration endpoint. */
export const controlOf = (place: string): string => `unix/${place}/admin.sock`

/**
 * A Caddy for the machine. What is validated and loaded is the file that a build wrote, as `moved` prints it; what is served is
 * in `served`, and `loads` has a line for each load.
 */
export async function startRealCaddy(
  machine: CaddyMachine,
  { place, moved }: RealCaddyOptions,
): Promise<AsyncDisposable> {
  const caddy = CADDY ?? 'caddy'
  const control = controlOf(place)
  machine.install(
    'caddy',
    `case $1 in
  validate) for word; do file=$word; done; ${moved} "$file" >"$FAKE/candidate"
    exec ${caddy} validate --adapter caddyfile --config "$FAKE/candidate" ;;
esac
exec ${caddy} "$@"`,
  )
  renameSync(machine.at('fake/systemctl'), machine.at('fake/systemctl-recorded'))
  machine.install(
    'systemctl',
    `"$FAKE/fake/systemctl-recorded" "$@" || exit $?
case "$*" in 'reload caddy.service' | 'restart caddy.service')
  ${moved} "$FAKE/etc/caddy/Caddyfile" >"$FAKE/served"
  echo load >>"$FAKE/loads"
  exec ${caddy} reload --adapter caddyfile --config "$FAKE/served" --address ${control} ;;
esac`,
  )
  machine.write('first', `{\n\tadmin ${control}\n}\n`)
  const child = spawn(caddy, ['run', '--adapter', 'caddyfile', '--config', join(place, 'first')], {
    stdio: 'ignore',
    env: { HOME: place, PATH: '/usr/bin:/bin' },
  })
  for (let tries = 0; tries < 800 && !existsSync(join(place, 'admin.sock')); tries += 1)
    await systemClock.sleep(50)
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}
