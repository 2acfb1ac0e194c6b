import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hostilePaths, SERVED_TYPES } from '@fleet/testing'
import { MISSING, serve } from '#/php/served-world.test.ts'

describe('what a real web server and a real process manager answer', { skip: MISSING }, () => {
  test('every path is answered as expected for each type of Project: the application, its files, and nothing else [RTX-085]', async () => {
    await using served = await serve()
    const wrong: string[] = []
    let asked = 0
    for (const type of SERVED_TYPES)
      for (const { path, expected } of hostilePaths(type)) {
        asked += 1
        const answer = await served.ask(type, path)
        if (answer !== expected) wrong.push(`${type} ${path}: ${expected} was expected, not ${answer}`)
      }
    assert.deepEqual(wrong, [])
    assert.ok(asked > 500)
  })
})
