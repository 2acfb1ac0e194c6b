import assert from 'node:assert/strict'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import type { Host } from '../../lab/index.ts'
import { waitFor } from '../../lab/wait.ts'
import { copyRuntime } from '../../tools/release/runtime.ts'

/** What one of the two clients of a watcher said. */
export interface Heard {
  readonly client: 'one' | 'other'
  readonly state?: string
  readonly socket?: string
  readonly subscribed?: string
  readonly refused?: string
  readonly event?: string
  readonly sequence?: number
}

export interface Watcher {
  heard(): readonly Heard[]
  /** Waits until what was heard is as it should be. */
  until(what: string, isSo: (heard: readonly Heard[]) => boolean, seconds?: number): Promise<void>
}

const UNIT = 'feed-watcher'
const TRUST = '/usr/local/share/ca-certificates/fleet-gateway.crt'

/** Two clients of pusher-js on a host, which trust what the host trusts and ask its own resolver. */
export async function startWatcher(host: Host, key: string): Promise<Watcher> {
  const { outputFiles } = await build({
    entryPoints: [resolve(import.meta.dirname, 'feed-watcher.ts')],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    write: false,
  })
  writeFileSync(join(host.root, 'root/watcher.cjs'), outputFiles[0]?.text ?? '')
  // That of a release runs on a machine that has nothing but Debian.
  copyRuntime(process.execPath, join(host.root, 'root/node'))
  chmodSync(join(host.root, 'root/node'), 0o755)
  const file = join(host.root, 'root/heard')
  await host.run([
    'systemd-run',
    '--quiet',
    `--unit=${UNIT}`,
    `--setenv=NODE_EXTRA_CA_CERTS=${TRUST}`,
    '--property=StandardOutput=truncate:/root/heard',
    '--property=StandardError=journal',
    '--',
    '/root/node',
    '/root/watcher.cjs',
    key,
  ])
  const heard = (): readonly Heard[] => {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
    // The last line may be half written.
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Heard) // Printed by the watcher.
  }
  const watcher: Watcher = {
    heard,
    until: async (what, isSo, seconds = 30) => {
      const isIn = await waitFor(seconds, async () => (isSo(heard()) ? true : undefined))
      assert.ok(isIn, `${what}: ${JSON.stringify(heard().slice(-8))}`)
    },
  }
  await watcher.until('both subscribe', (all) => all.filter((line) => line.subscribed).length >= 2)
  return watcher
}
