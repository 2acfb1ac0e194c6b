// A checkout of 2 GB that is adopted where it stands, beside one of a few kilobytes, and beside reading its content.
import { closeSync, ftruncateSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fakeCall } from '@fleet/testing'
import { git } from '@fleet/testing/git-server'
import { type LifeFleet, startLifeFleet } from './life/fleet.ts'
import { measure, median, type Report, time } from './measure.ts'
import { execute } from './ssh-server.ts'

const ROUNDS = 5
const MEGABYTE = 1024 * 1024
const LARGE = { count: 16, bytes: 128 * MEGABYTE }
const SMALL_FILES = 5000

export async function* run(): AsyncGenerator<Report> {
  await using life = await startLifeFleet()
  const taken: Record<'large' | 'small' | 'reading', number[]> = { large: [], small: [], reading: [] }
  for (let round = 0; round <= ROUNDS; round += 1)
    for (const name of round % 2 === 0 ? (['large', 'small'] as const) : (['small', 'large'] as const)) {
      const path = checkout(life, `${name}-${round}`)
      if (name === 'large') fill(path)
      const milliseconds = await time(() => register(life, path))
      if (round === 0) continue
      taken[name].push(milliseconds)
      const adopted = join(life.nodes[0].home, 'apps/app', `${name}-${round}`)
      if (name === 'large')
        taken.reading.push(
          await time(() => execute('sh', ['-c', 'find "$0" -type f -exec cat {} + | wc -c', adopted])),
        )
    }
  yield measure(
    'register-2gb',
    'ms',
    median(taken.large),
    'a checkout of a few kilobytes',
    median(taken.small),
  )
  yield measure(
    'register-2gb-read',
    'ms',
    median(taken.large),
    'reading its content, all holes',
    median(taken.reading),
  )
}

/** A clone on the first Node. */
function checkout({ fleet, nodes: [node] }: LifeFleet, name: string): string {
  const folder = join(node.home, 'src')
  mkdirSync(folder, { recursive: true })
  const path = join(folder, name)
  git(folder, ['clone', '-q', fleet.git.pathOf('app'), path])
  git(path, ['remote', 'set-url', 'origin', fleet.git.urlOf('app')])
  return path
}

/** Files that Git does not know: large ones, which take no room, and those of a folder of dependencies. */
function fill(path: string): void {
  mkdirSync(join(path, 'videos'))
  for (let at = 0; at < LARGE.count; at += 1) {
    const file = openSync(join(path, 'videos', String(at)), 'w')
    ftruncateSync(file, LARGE.bytes)
    closeSync(file)
  }
  for (let at = 0; at < SMALL_FILES; at += 1) {
    const folder = join(path, 'node_modules', String(at % 100))
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, String(at)), 'x'.repeat(1000))
  }
}

async function register({ fleet, domains, nodes: [node] }: LifeFleet, source_path: string): Promise<void> {
  const caller = { id: node.id, name: fleet.node.name, address: '127.0.0.1', isGateway: false }
  const handler = domains.instances.handlers['instance:register']
  await handler({ call: fakeCall({ caller }), input: { source_path } })
}
