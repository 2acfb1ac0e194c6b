// The baselines of the read benchmark: fastify routes that make the SQLite reads and nothing else.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { systemClock } from '@fleet/kernel'
import { ensureLeaf, ensureRoot } from '@fleet/pki'
import Fastify from 'fastify'

// Below the home of the benchmark, which removes it.
const file = process.argv[2] ?? ''
const home = join(dirname(file), 'bare')
const root = await ensureRoot({ directory: join(home, 'ca'), clock: systemClock, name: 'Bench root' })
const leaf = await ensureLeaf({
  directory: home,
  root,
  clock: systemClock,
  names: ['localhost'],
  addresses: ['127.0.0.1'],
})

const database = new DatabaseSync(file, { readOnly: true })
const app = Fastify({ https: { key: leaf.key.reveal(), cert: leaf.certificate } })
const answer = (data: unknown) => ({ data, meta: { request_id: crypto.randomUUID() } })

// One row, less than what Fleet reads and answers.
const row = database.prepare('select * from nodes where id = ?')
app.get<{ Params: { node: string } }>('/row/:node', (request) => answer(row.get(Number(request.params.node))))

// The same four reads and the same members as Fleet's answer.
const joined = database.prepare(
  `select nodes.*, node_roles.role as active_role from nodes
   left join node_roles on node_roles.node_id = nodes.id and node_roles.status = 'active'
   where nodes.id = ? order by node_roles.role`,
)
const grants = (mine: string, other: string) =>
  database.prepare(
    `select nodes.id, nodes.name from node_grants join nodes on nodes.id = node_grants.${other}
     where node_grants.${mine} = ? order by nodes.name`,
  )
const serving = grants('consumer_node_id', 'serving_node_id')
const consumers = grants('serving_node_id', 'consumer_node_id')
const exclusions = database.prepare(
  `select node_exclusions.project_id, projects.slug as project_slug, node_exclusions.node_id, nodes.name as node_name
   from node_exclusions join projects on projects.id = node_exclusions.project_id
   join nodes on nodes.id = node_exclusions.node_id where node_exclusions.node_id = ? order by projects.slug`,
)
app.get<{ Params: { node: string } }>('/record/:node', (request) => {
  const id = Number(request.params.node)
  const rows = joined.all(id)
  return answer({
    ...rows[0],
    roles: rows.map((each) => each['active_role']),
    access: { can_access: serving.all(id), accessible_by: consumers.all(id) },
    excluded_projects: exclusions.all(id),
  })
})
const url = await app.listen({ host: '127.0.0.1', port: 0 })
console.log(JSON.stringify({ url, ca: readFileSync(join(home, 'ca', 'root.crt'), 'utf8') }))
