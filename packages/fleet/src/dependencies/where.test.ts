import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { dependencyHolders, type InputOf } from '@fleet/contract'
import {
  addGrant,
  addInstance,
  addNode,
  addProject,
  asCaller,
  fakeCall,
  forEachDialect,
  refusalOf,
} from '@fleet/testing'
import { COMPOSER, NPM, putFiles, startWorld, type World } from '#/dependencies/world.test.ts'

type Input = Partial<InputOf<'dependency:where'>> & { readonly package: string }

async function where({ domain, node }: World, input: Input, caller = asCaller(node)) {
  const given = { limit: 100, ...input }
  const { data } = await domain.handlers['dependency:where']({ call: fakeCall({ caller }), input: given })
  return dependencyHolders.parse(data)
}

/** `Instance version path` of each holder. */
const lines = ({ holders }: Awaited<ReturnType<typeof where>>): readonly string[] =>
  holders.map(
    ({ instance, version, path }) =>
      `${instance} ${version} ${path.map((step) => `${step.name}@${step.version}`).join(' > ')}`,
  )

async function another(
  world: World,
  name: string,
  files: Readonly<Record<string, unknown>>,
): Promise<number> {
  const { store, domain, home, node } = world
  const project = await addProject(store, { slug: name })
  const checkout_path = join(home, 'apps', name)
  putFiles(checkout_path, files)
  const { id } = await addInstance(store, { project_id: project.id, node_id: node.id, checkout_path, name })
  await domain.handlers['instance:dependencies:scan']({ call: fakeCall(), input: { instance: id } })
  return id
}

const OTHER = {
  'package.json': { dependencies: { top: '1', pad: '^1.0.9' } },
  'package-lock.json': {
    lockfileVersion: 3,
    packages: {
      '': { dependencies: { top: '1', pad: '^1.0.9' } },
      'node_modules/top': { version: '1.0.0', dependencies: { mid: '1' } },
      'node_modules/mid': { version: '1.0.0', dependencies: { pad: '1.0.5' } },
      'node_modules/mid/node_modules/pad': { version: '1.0.5' },
      'node_modules/pad': { version: '1.0.9' },
    },
  },
}

forEachDialect(
  'where finds every version of a package in every Instance, with the shortest path from the project',
  async (dialect) => {
    await using world = await startWorld({ dialect, instance: { name: 'first' } })
    world.put({ ...NPM, ...COMPOSER })
    await world.scan()
    await another(world, 'second', OTHER)
    const found = await where(world, { package: 'pad' })
    assert.deepEqual(lines(found), [
      'first 1.0.5 left@1.2.0 > pad@1.0.5',
      'second 1.0.9 pad@1.0.9',
      'second 1.0.5 top@1.0.0 > mid@1.0.0 > pad@1.0.5',
    ])
    assert.deepEqual(found.versions, [
      { ecosystem: 'npm', version: '1.0.5', instances: 2 },
      { ecosystem: 'npm', version: '1.0.9', instances: 1 },
    ])
    assert.equal(found.next, null)
    const ranged = await where(world, { package: 'pad', range: '>1.0.5' })
    assert.deepEqual([ranged.range, lines(ranged)], ['>1.0.5', ['second 1.0.9 pad@1.0.9']])
    assert.deepEqual(ranged.versions, [{ ecosystem: 'npm', version: '1.0.9', instances: 1 }])
    const mail = await where(world, { package: 'acme/mail', range: '^1.4' })
    assert.deepEqual(lines(mail), ['first v1.4.0 acme/mail@v1.4.0'])
    assert.deepEqual((await where(world, { package: 'acme/mail', ecosystem: 'npm' })).holders, [])
    assert.deepEqual((await where(world, { package: 'none' })).versions, [])
  },
)

test('several copies of one version are one entry, with the scopes of all and the shortest path', async () => {
  await using world = await startWorld({ instance: { name: 'first' } })
  const dependencies = { a: '1', c: '1' }
  world.put({
    'package.json': { dependencies, devDependencies: { pad: '1.0.5' } },
    'package-lock.json': {
      lockfileVersion: 3,
      packages: {
        '': { dependencies, devDependencies: { pad: '1.0.5' } },
        'node_modules/a': { version: '1.0.0', dependencies: { b: '1' } },
        'node_modules/b': { version: '1.0.0', dependencies: { pad: '*' } },
        'node_modules/b/node_modules/pad': { version: '2.0.0' },
        'node_modules/c': { version: '1.0.0', dependencies: { pad: '*' } },
        'node_modules/c/node_modules/pad': { version: '2.0.0' },
        'node_modules/pad': { version: '1.0.5', dev: true },
      },
    },
  })
  await world.scan()
  const { holders } = await where(world, { package: 'pad' })
  const shown = holders.map(({ version, copies, regular, development, path }) =>
    [version, copies, regular, development, ...path.map(({ name }) => name)].join(' '),
  )
  assert.deepEqual(new Set(shown), new Set(['1.0.5 1 false true pad', '2.0.0 2 true false c pad']))
})

forEachDialect(
  'only Instances on Nodes that the caller may address are counted and listed',
  async (dialect) => {
    await using world = await startWorld({ dialect })
    world.put(NPM)
    await world.scan()
    const { store, node } = world
    const stranger = await addNode(store)
    const nothing = await where(world, { package: 'pad' }, asCaller(stranger))
    assert.deepEqual([nothing.versions, nothing.holders], [[], []])
    await addGrant(store, stranger, node)
    assert.equal((await where(world, { package: 'pad' }, asCaller(stranger))).holders.length, 1)
  },
)

test('pages follow each other without a gap, and each says where the next begins', async () => {
  await using world = await startWorld()
  world.put(NPM)
  await world.scan()
  const ids = [world.instance.id]
  for (const name of ['b', 'c', 'd', 'e']) ids.push(await another(world, name, NPM))
  const seen: number[] = []
  let after: number | undefined
  for (let page = 0; page < 9; page += 1) {
    const found = await where(world, { package: 'pad', limit: 2, ...(after === undefined ? {} : { after }) })
    assert.deepEqual(found.versions, [{ ecosystem: 'npm', version: '1.0.5', instances: 5 }])
    seen.push(...found.holders.map(({ instance_id }) => instance_id))
    if (found.next === null) break
    after = found.next
  }
  assert.deepEqual(seen, ids)
})

test('a holder whose later scan failed is marked stale, and one whose package went away is not found', async () => {
  await using world = await startWorld()
  world.put(NPM)
  await world.scan()
  assert.equal((await where(world, { package: 'pad' })).holders[0]?.stale, false)
  world.put({ 'package-lock.json': '{' })
  await world.scan()
  assert.equal((await where(world, { package: 'pad' })).holders[0]?.stale, true)
  world.put({ 'package.json': '{}', 'package-lock.json': { lockfileVersion: 3, packages: { '': {} } } })
  await world.scan()
  assert.deepEqual((await where(world, { package: 'pad' })).holders, [])
})

forEachDialect(
  'the answer counts the Instances of each ecosystem whose inventory is missing or stale',
  async (dialect) => {
    await using world = await startWorld({ dialect, instance: { name: 'first' } })
    const notCurrent = async (more = {}) =>
      (await where(world, { package: 'acme/mail', ...more })).not_current.map(
        ({ ecosystem, unknown, stale }) => `${ecosystem} ${unknown} ${stale}`,
      )
    assert.deepEqual(await notCurrent(), ['composer 1 0', 'npm 1 0'])
    world.put({ ...NPM, ...COMPOSER })
    await world.scan()
    assert.deepEqual(await notCurrent(), [])
    await another(world, 'second', { ...NPM, 'composer.lock': '{' })
    assert.deepEqual(await notCurrent(), ['composer 1 0'])
    world.put({ 'package-lock.json': '{' })
    await world.scan()
    assert.deepEqual(await notCurrent(), ['composer 1 0', 'npm 0 1'])
    assert.deepEqual(await notCurrent({ ecosystem: 'npm' }), ['npm 0 1'])
    const stranger = await addNode(world.store)
    const unseen = await where(world, { package: 'acme/mail' }, asCaller(stranger))
    assert.deepEqual(unseen.not_current, [])
  },
)

test('what is no range is refused', async () => {
  await using world = await startWorld()
  assert.equal(
    (await refusalOf(where(world, { package: 'pad', range: 'next' }))).code,
    'dependencies.range_invalid',
  )
})
