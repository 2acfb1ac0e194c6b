import assert from 'node:assert/strict'
import { test } from 'node:test'
import { homePaths } from './home.ts'

test('a production home has its releases, its environment, its database and its link at fixed places', () => {
  const paths = homePaths('/home/shop')
  assert.deepEqual(
    [paths.current, paths.release('initial'), paths.environment, paths.sqlite],
    ['/home/shop/current', '/home/shop/releases/initial', '/home/shop/.env', '/home/shop/database.sqlite'],
  )
})
