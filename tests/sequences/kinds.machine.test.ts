import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { OperationName } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { git } from '@fleet/testing/git-server'
import { type Deed, type Kind, KINDS } from './kinds.ts'
import type { Machine } from './machines.ts'
import { firstProject, prepare } from './repositories.ts'
import { differences, walk, type Walked } from './walk.ts'
import { startWorld, type World } from './world.ts'

/** What Fleet and a fetch of Git write: the receipt, the line that ignores `.env`, and what was fetched last. */
const OURS = /^\.git\/(?:orbit\/.*|info\/exclude|refs\/fleet\/|FETCH_HEAD)$/
/** A copy and a release have a repository of their own. */
const REPOSITORY = /^\.git\//

/** One checkout from its adoption to its removal. */
interface Life {
  readonly world: World
  readonly kind: Kind
  readonly here: Machine
  /** Where it is before it is adopted, one like it on another file system, and what no deed may touch. */
  readonly source: string
  readonly far: string
  readonly outside: string
  /** Whatever runs out of it writes this file. */
  readonly trap: string
}

/** What answers of the deeds have, of Instances and of registrations. */
interface Answer {
  readonly id: number
  readonly checkout_path: string
  readonly app_instance: { readonly id: number; readonly checkout_path: string }
}

function begin(world: World, kind: Kind, elsewhere: string): Life {
  const [here] = world.machines.all
  if (!here) throw new Error('there is no Node')
  const at = (name: string): string => join(here.home, name)
  const life = { world, kind, here, source: at('mine'), outside: at('outside'), trap: at('trap') }
  const { source, outside, trap } = life
  mkdirSync(outside)
  writeFileSync(join(outside, 'file'), 'outside\n')
  const origin = world.git.pathOf('shop')
  git(here.home, ['clone', '-q', origin, source])
  git(source, ['remote', 'set-url', 'origin', world.git.urlOf('shop')])
  kind.make({ path: source, outside, trap, origin, library: world.git.pathOf('blog') })
  const far = join(elsewhere, 'far')
  execFileSync('cp', ['-a', source, far])
  rmSync(trap, { force: true })
  return { ...life, far }
}

/** Makes a request. What became of it is what the table says; answers undefined for a refusal. */
async function attempt(
  { world, kind, trap }: Life,
  deed: Deed,
  request: { readonly operation: OperationName; readonly input: object; readonly from?: Machine },
): Promise<Answer | undefined> {
  const gateway = world.gateway()
  const { operation, input, from } = request
  const given = input as never // It is parsed by the schema of its operation.
  const [answer, code] = await gateway.ask(operation, given, from).then(
    (data) => [data as Answer, undefined] as const, // As the contract says.
    (error: unknown) => {
      if (!(error instanceof CodedError)) throw error
      return [undefined, error.code] as const
    },
  )
  assert.equal(code, kind.refused?.[deed], `what becomes of: ${deed}`)
  assert.deepEqual(await gateway.work(), [])
  assert.equal(existsSync(trap), false, `${deed} ran something of the checkout`)
  return answer
}

const requireSame = (deed: Deed, before: Walked, path: string, except: RegExp): void =>
  assert.deepEqual(differences(before, walk(path), except), [], deed)

const deeds: readonly Deed[] = ['adopt', 'rename', 'copy', 'clone', 'move', 'remove', 'bring']

for (const [name, kind] of Object.entries(KINDS)) {
  const refused = deeds.filter((deed) => kind.refused?.[deed] !== undefined)
  const told =
    refused.length === 0 ? '' : `, and refused where it would lose something: ${refused.join(', ')}`
  test(`a checkout with ${name} is taken through ${deeds.join(', ')} with every byte${told}`, async (context) => {
    await using world = await startWorld()
    prepare(world)
    const elsewhere = mkdtempSync('/var/tmp/fleet-kinds-')
    context.after(() => rmSync(elsewhere, { recursive: true }))
    await world.gateway().ask('project:create', firstProject(world))
    await liveThrough(begin(world, kind, elsewhere))
  })
}

async function liveThrough(life: Life): Promise<void> {
  const { world, kind, here, source, far, outside } = life
  const [, other, live] = world.machines.all
  if (!other || !live) throw new Error('the Nodes are missing')
  const [before, around] = [walk(source), walk(outside)]
  const register = (source_path: string, instance_name: string) => ({
    operation: 'instance:register' as const,
    input: { source_path, project_id: 1, instance_name, domain: `${instance_name}.internal` },
    from: here,
  })

  const adopted = (await attempt(life, 'adopt', register(source, 'mine')))?.app_instance
  if (!adopted) throw new Error('nothing was adopted')
  const { id: instance } = adopted
  let path = adopted.checkout_path
  requireSame('adopt', before, path, OURS)
  assert.equal(existsSync(source), false)
  // Its linked worktree is told where its repository is now.
  const aroundIt = differences(around, walk(outside))
  assert.ok(
    aroundIt.every((line) => line.startsWith('beside/.git: ')),
    aroundIt.join('\n'),
  )

  await attempt(life, 'rename', {
    operation: 'instance:rename',
    input: { instance, domain: 'other.internal' },
  })
  await attempt(life, 'rename', { operation: 'project:update', input: { project: 1, slug: 'store' } })
  requireSame('rename', before, path, OURS)

  const copy = { project_id: 1, node_id: here.node.id, name: 'copy', source_instance_id: instance }
  const copied = await attempt(life, 'copy', { operation: 'instance:create', input: copy })
  requireSame('copy', before, path, OURS)
  if (copied) {
    requireSame('copy', before, copied.checkout_path, REPOSITORY)
    git(copied.checkout_path, ['fsck', '--connectivity-only'])
    assert.equal(treeOf(copied.checkout_path), treeOf(path))
  }

  const clone = { candidate: instance, node_id: live.node.id, name: 'live', preview_name: 'live' }
  const isCloned = await attempt(life, 'clone', { operation: 'instance:clone', input: clone })
  requireSame('clone', before, path, OURS)
  if (!isCloned) await removeUnfinished(world)
  if (isCloned) {
    const reference = join(live.home, 'reference')
    git(live.home, ['clone', '-q', world.git.pathOf('shop'), reference])
    requireSame('clone', walk(reference), join(world.homeOf('store', 'live'), 'releases/initial'), REPOSITORY)
  }

  const move = { instance, node_id: other.node.id }
  const moved = await attempt(life, 'move', { operation: 'instance:transfer', input: move })
  if (moved) {
    assert.equal(existsSync(path), false)
    path = join(other.apps, 'store', 'mine')
  }
  requireSame('move', before, path, OURS)

  const isRemoved = await attempt(life, 'remove', { operation: 'instance:destroy', input: { instance } })
  if (!isRemoved) {
    requireSame('remove', before, path, OURS)
    await world.gateway().ask('instance:destroy', { instance, force: true })
  }
  assert.equal(existsSync(path), false)

  const again = kind.refused?.bring === undefined ? walk(far) : undefined
  const brought = (await attempt(life, 'bring', register(far, 'far')))?.app_instance
  if (brought && again) requireSame('bring', again, brought.checkout_path, OURS)
  assert.equal(existsSync(far), brought === undefined)
  assert.deepEqual(differences(around, walk(outside)), aroundIt)
}

/** A clone whose checkout was refused waits for the identical request, and its candidate stays until it is removed. */
async function removeUnfinished({ store, gateway }: World): Promise<void> {
  const rows = await store.db.selectFrom('instances').select('id').where('status', '!=', 'active').execute()
  for (const { id } of rows) await gateway().ask('instance:destroy', { instance: id, force: true })
}

const treeOf = (path: string): string => git(path, ['rev-parse', 'HEAD^{tree}'])
