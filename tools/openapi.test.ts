import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { OPENAPI_FILE, openapi } from './openapi.ts'

const source = readFileSync(join(resolve(import.meta.dirname, '..'), OPENAPI_FILE), 'utf8')

test('the published document has no problem, and a document without security or licence has', async () => {
  const { seen, problems } = await openapi(source)
  assert.ok(seen > 0)
  assert.deepEqual(problems, [])
  const { security: _, info, paths, ...others } = JSON.parse(source)
  // Agents' operations say by themselves what they take.
  const rest = { ...others, paths: withoutSecurity(paths) }
  const stripped = await openapi(JSON.stringify({ ...rest, info: { ...info, license: undefined } }))
  assert.equal(stripped.problems.filter((problem) => problem.includes('security-defined')).length, seen)
  assert.equal(stripped.problems.filter((problem) => problem.includes('info-license')).length, 1)
})

/** The same without the security of single operations. */
const withoutSecurity = (paths: object): unknown =>
  JSON.parse(JSON.stringify(paths, (key, value: unknown) => (key === 'security' ? undefined : value)))

test('a document without operations counts none', async () => {
  const info = { title: 'x', version: '1' }
  assert.equal((await openapi(JSON.stringify({ openapi: '3.1.1', info, paths: {} }))).seen, 0)
})
