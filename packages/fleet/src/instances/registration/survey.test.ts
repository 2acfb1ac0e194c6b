import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { nodeRecord } from '@fleet/testing'
import type { InstanceRow } from '#/instances/queries.ts'
import { surveySource } from '#/instances/commands/survey-source.ts'
import { projectOf, requireMain, requireUnbroken } from '#/instances/registration/survey.ts'
import { pathFor } from '#/instances/reserve.ts'
import { type ProjectRecord, repositoryIdentity } from '#/projects/api.ts'

const NODE = nodeRecord({ id: 3, name: 'web' })
const PROJECT = {
  id: 2,
  repository_identity: repositoryIdentity('https://github.test/acme/shop.git'),
} as unknown as ProjectRecord // What is read of it.
const STORED = { id: 9, status: 'active', node_id: 3, project_id: 2, checkout_path: '/srv/shop' }

test('the repository of a linked worktree is that of an active Instance of its Project, on its Node, at its path', async () => {
  const find = (change: object | undefined, preparation = 'prep') =>
    requireMain(
      {
        registrations: {
          findByPreparation: async () =>
            change === undefined ? undefined : ({ ...STORED, ...change } as unknown as InstanceRow), // What is read of one.
        } as unknown as Parameters<typeof requireMain>[0]['registrations'], // The only one that is asked.
      },
      { node: NODE, project: PROJECT },
      { path: '/srv/shop', preparation },
    )
  assert.equal((await find({})).id, 9)
  await assert.rejects(find({ project_id: 4 }), { code: 'instance.source_origin_mismatch', status: 409 })
  const refused = {
    code: 'instance.source_layout_mismatch',
    message: /Register that one with `include_worktrees`/,
    details: { node: { id: 3, name: 'web' }, checkout_path: '/srv/shop' },
  }
  for (const change of [undefined, { status: 'removing' }, { node_id: 4 }, { checkout_path: '/srv/other' }])
    await assert.rejects(find(change), refused, JSON.stringify(change))
  await assert.rejects(find({}, ''), refused)
})

test('the Project of a checkout is the named one, if it has its origin, or the one with the repository of its origin', async () => {
  const projects = {
    find: async (id: number) => (id === 2 ? PROJECT : undefined),
    findByIdentity: async (identity: string) => (/acme.shop|^$/.test(identity) ? PROJECT : undefined),
  } as unknown as Parameters<typeof projectOf>[0]['projects'] // The only ones that are asked.
  const of = (origin: string, given?: number) =>
    projectOf({ projects }, { origin } as unknown as Parameters<typeof projectOf>[1], given) // What is read of it.
  assert.equal(await of('git@github.test:acme/shop.git'), PROJECT)
  assert.equal(await of('https://github.test/acme/shop', 2), PROJECT)
  for (const origin of ['', 'https://github.test/acme/other'])
    await assert.rejects(of(origin), { code: 'instance.project_missing' }, origin)
  await assert.rejects(of('https://github.test/acme/shop', 4), { code: 'project.not_found' })
  await assert.rejects(of('https://github.test/acme/other', 2), { code: 'instance.source_origin_mismatch' })
})

test('a directory whose folder the account may not write to is refused with that folder, unless it is in its place', () => {
  const found = { hasSubmodules: false, isMovable: false } as unknown as Parameters<typeof requireUnbroken>[0] // What is read of it.
  const placement = { project: { ...PROJECT, slug: 'shop' }, node: NODE }
  const check = (sourcePath: string) => () => requireUnbroken(found, { sourcePath, placement, name: 'web' })
  assert.throws(check('/opt/work/shop'), {
    code: 'instance.source_ownership_mismatch',
    message: /may not write to \/opt\/work,/,
    details: { node: { id: 3, name: 'web' }, source_path: '/opt/work/shop', path: '/opt/work' },
  })
  check(pathFor(placement, { name: 'web' }))()
})

const NOBODY = 65_534

test(
  'whether a checkout can be renamed is seen by the folder above it',
  { skip: process.getuid?.() !== 0 && 'only root can give a folder away' },
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'fleet-survey-'))
    const path = join(folder, 'shop')
    mkdirSync(join(path, '.git'), { recursive: true })
    for (const each of [path, join(path, '.git')]) chownSync(each, NOBODY, NOBODY)
    chmodSync(folder, 0o755)
    const seen = (): string => {
      const args = surveySource.args?.({ sourcePath: path }) ?? []
      const command = ['sh', '-c', surveySource.source, 'survey', ...args.map(String)]
      const options = ['--reuid', `${NOBODY}`, '--regid', `${NOBODY}`, '--clear-groups', '--']
      return spawnSync('setpriv', [...options, ...command], { encoding: 'utf8', cwd: '/' }).stdout
    }
    assert.match(seen(), /movable[^a-z]+no/)
    chmodSync(folder, 0o777)
    assert.match(seen(), /movable[^a-z]+yes/)
    rmSync(folder, { recursive: true })
  },
)
