import assert from 'node:assert/strict'
import { test } from 'node:test'
import type * as z from 'zod'
import { projectCreate } from './create.ts'
import { projectSetupStepCreate } from './setup-steps.ts'
import { projectTeardownStepCreate } from './teardown-steps.ts'
import { projectUpdate } from './update.ts'

const project = {
  slug: 'shop',
  type: 'node-package',
  repository_url: 'https://git.example.com/shop',
  root: '.',
}
const takes = (input: z.ZodType, given: object): boolean => input.safeParse(given).success
const takesProject = (given: object): boolean => takes(projectCreate.input, { ...project, ...given })

test('creation needs slug, type, repository and root, and takes no other member [PRJ-028]', () => {
  assert.ok(takesProject({}))
  for (const member of Object.keys(project)) assert.ok(!takesProject({ [member]: undefined }), member)
  assert.ok(!takesProject({ review_and_merge: true }))
})

test('the slug has 1 to 63 letters, digits, hyphens or underscores [PRJ-001]', () => {
  for (const slug of ['a', 'Shop_2-x', 'a'.repeat(63)]) assert.ok(takesProject({ slug }), slug)
  for (const slug of ['', 'a.b', 'a/b', '..', 'ä', 'a'.repeat(64)]) assert.ok(!takesProject({ slug }), slug)
})

test('types, accesses and computes are the listed ones [PRJ-004, PRJ-006, PRJ-012]', () => {
  const types = ['laravel-app', 'symfony-app', 'monorepo', 'laravel-package', 'node-package']
  for (const type of types) assert.ok(takesProject({ type }), type)
  for (const given of [{ type: 'rails-app' }, { source_access: 'token' }, { task_compute: 'gpu' }])
    assert.ok(!takesProject(given))
})

const bounded = { name: 255, repository_url: 2048, root: 255, default_branch: 255, task_check: 4096 }
for (const [member, max] of Object.entries(bounded)) {
  test(`${member} has at most ${max} characters [PRJ-002, PRJ-005, PRJ-007, PRJ-008, PRJ-010]`, () => {
    assert.ok(takesProject({ [member]: 'a'.repeat(max) }))
    assert.ok(!takesProject({ [member]: 'a'.repeat(max + 1) }))
  })
}

test('defaults are an object or null [PRJ-009]', () => {
  for (const defaults of [null, {}, { a: [1] }]) assert.ok(takesProject({ defaults }))
  for (const defaults of ['x', 1, []]) assert.ok(!takesProject({ defaults }))
})

test('an update takes the listed members and no name [PRJ-013, PRJ-029]', () => {
  const takesUpdate = (given: object): boolean => takes(projectUpdate.input, { project: 1, ...given })
  for (const given of [{}, { review_and_merge: true, merge_check: 'ci' }, { merge_check: null }])
    assert.ok(takesUpdate(given))
  for (const given of [{ name: 'x' }, { merge_check: 'a'.repeat(256) }, { defaults: {} }])
    assert.ok(!takesUpdate(given))
})

for (const { name, input } of [projectSetupStepCreate, projectTeardownStepCreate]) {
  const takesStep = (given: object): boolean =>
    takes(input, { project: 1, name: 'a', command: 'true', ...given })

  test(`${name} takes names of 1 to 63 lowercase letters, digits and inner hyphens [PRJ-058, GW-020]`, () => {
    for (const step of ['a', '7', 'a-b', 'a'.repeat(63)]) assert.ok(takesStep({ name: step }), step)
    for (const step of ['', '-a', 'a-', 'A', 'a_b', 'a.b', 'a'.repeat(64)])
      assert.ok(!takesStep({ name: step }), step)
  })

  test(`${name} takes commands of at most 16 KiB of UTF-8 without NUL [PRJ-059]`, () => {
    for (const command of ['a'.repeat(16_384), 'ä'.repeat(8192), 'a\nb']) assert.ok(takesStep({ command }))
    for (const command of ['', 'a'.repeat(16_385), 'ä'.repeat(8193), 'a\0b'])
      assert.ok(!takesStep({ command }))
  })

  test(`${name} takes 1 to 540 seconds [PRJ-060]`, () => {
    for (const timeout_seconds of [1, 540]) assert.ok(takesStep({ timeout_seconds }))
    for (const timeout_seconds of [0, 541, 1.5, '10']) assert.ok(!takesStep({ timeout_seconds }))
  })
}
