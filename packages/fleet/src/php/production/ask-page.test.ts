import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NodeScript, NodeSession } from '#/nodes/api.ts'
import { askPage, PAGE_SECONDS, type PageAnswer, type PageRequest } from '#/php/production/ask-page.ts'

type Asked = PageRequest & { readonly root: string; readonly seconds: number }

test('a page has 15 s, its words reach the program in their order, and the Node has time left to say what became of it', async () => {
  const asked: unknown[] = []
  const session = {
    ask: async ({ args, timeoutSeconds }: NodeScript<Asked, PageAnswer>, input: Asked) => {
      asked.push(args?.(input), timeoutSeconds)
      return { outcome: 'silent' }
    },
  } as unknown as NodeSession // A page needs nothing else of it.
  const request = {
    version: '8.2',
    socket: '/run/php/shop.sock',
    webRoot: '/srv/shop/public',
    path: '/up?full=1',
    domain: 'shop.example',
  }
  assert.deepEqual(await askPage(session, request, '/root'), { outcome: 'silent' })
  const words = ['/root', '8.2', '/run/php/shop.sock', '/srv/shop/public', '/up?full=1', 'shop.example']
  assert.deepEqual([PAGE_SECONDS, ...asked], [15, [...words, 15, 512], 30])
})
