// The baseline of the read benchmark: a fastify route that makes the same SQLite read and nothing else.
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { systemClock } from '@fleet/kernel'
import { ensureLeaf, ensureRoot } from '@fleet/pki'
import Fastify from 'fastify'

const home = mkdtempSync(join(tmpdir(), 'fleet-bench-bare-'))
const root = await ensureRoot({ directory: join(home, 'ca'), clock: systemClock, name: 'Bench root' })
const leaf = await ensureLeaf({
  directory: home,
  root,
  clock: systemClock,
  names: ['localhost'],
  addresses: ['127.0.0.1'],
})

const database = new DatabaseSync(process.argv[2] ?? '', { readOnly: true })
const statement = database.prepare('select * from nodes where id = ?')
const app = Fastify({ https: { key: leaf.key.reveal(), cert: leaf.certificate } })
app.get<{ Params: { node: string } }>('/nodes/:node', (request) => ({
  data: statement.get(Number(request.params.node)),
  meta: { request_id: crypto.randomUUID() },
}))
const url = await app.listen({ host: '127.0.0.1', port: 0 })
console.log(JSON.stringify({ url, ca: readFileSync(join(home, 'ca', 'root.crt'), 'utf8') }))
