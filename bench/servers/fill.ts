import { join } from 'node:path'
import { systemClock, systemIds } from '@fleet/kernel'
import { type NewRow, openStore, readOrMakeAppKey } from '@fleet/store'

const CHUNK = 200

/** Writes Nodes and Instances straight into the database of a home, before its gateway starts. */
export async function fillFleet(home: string, nodes: number, instances: number): Promise<void> {
  const key = readOrMakeAppKey({ file: join(home, 'app.key') })
  await using store = await openStore({
    file: join(home, 'gateway.sqlite'),
    key,
    clock: systemClock,
    ids: systemIds,
    gatewayId: 'bench',
  })
  const { db } = store
  if (await db.selectFrom('nodes').select('id').executeTakeFirst()) return
  const numbers = Array.from({ length: nodes }, (_, index) => index + 1)
  for (const part of chunks(numbers)) {
    await db.insertInto('nodes').values(part.map(nodeRow)).execute()
    await db.insertInto('node_roles').values(part.map(roleRow)).execute()
    await db
      .insertInto('node_grants')
      .values(part.map((id) => ({ consumer_node_id: 1, serving_node_id: id, created_at: NOW })))
      .execute()
  }
  await db.insertInto('projects').values(PROJECT).execute()
  for (const part of chunks(Array.from({ length: instances }, (_, index) => index + 1))) {
    await db
      .insertInto('instances')
      .values(part.map((number) => instanceRow(number, nodes)))
      .execute()
  }
}

const NOW = '2026-01-01T00:00:00.000Z'
const chunks = (all: readonly number[]): number[][] =>
  Array.from({ length: Math.ceil(all.length / CHUNK) }, (_, part) =>
    all.slice(part * CHUNK, (part + 1) * CHUNK),
  )

const nodeRow = (id: number): NewRow<'nodes'> => ({
  id,
  name: id === 1 ? 'gateway' : `node-${id}`,
  status: 'active',
  platform: 'linux',
  architecture: 'x86_64',
  tld: null,
  cluster_id: null,
  public_ssh_host: null,
  public_ssh_port: null,
  user: 'fleet',
  user_home: '/home/fleet',
  wireguard_ip: id === 1 ? '127.0.0.1' : `10.44.${Math.floor(id / 250)}.${(id % 250) + 1}`,
  wireguard_public_key: null,
  wireguard_endpoint_override: null,
  dns_server_override: null,
  lan_ip: null,
  ssh_host_fingerprint: null,
  ssh_port: 22,
  apps_path: null,
  failed_step: null,
  error_code: null,
  created_at: NOW,
})

const roleRow = (id: number): NewRow<'node_roles'> => ({
  node_id: id,
  role: id === 1 ? 'gateway' : 'app-dev',
  status: 'active',
  failed_step: null,
  error_code: null,
  created_at: NOW,
})

const PROJECT: NewRow<'projects'> = {
  id: 1,
  slug: 'shop',
  name: 'shop',
  code: 'SHO',
  type: 'node-package',
  repository_url: 'https://example.test/shop.git',
  repository_identity: 'example.test/shop',
  source_access: 'github_app',
  default_branch: 'main',
  root: '.',
  defaults: null,
  task_check: null,
  task_workspace_routed: 1,
  task_compute: 'shared',
  review_and_merge: 0,
  merge_check: null,
  created_at: NOW,
}

const instanceRow = (number: number, nodes: number): NewRow<'instances'> => ({
  project_id: 1,
  node_id: (number % nodes) + 1,
  name: `feature-${number}`,
  environment: 'development',
  source_layout: 'checkout',
  checkout_path: `/home/fleet/apps/shop/feature-${number}`,
  production_user: null,
  production_home: null,
  root: null,
  selected_branch: `feature-${number}`,
  branch_override: null,
  starting_commit: 'a'.repeat(40),
  detached: 0,
  migration_required: 0,
  status: 'active',
  vite_port: 5173 + number,
  preparation_id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
  profile: { application_directory: '', framework: null, php: false },
  failed_step: null,
  error_code: null,
  setup: null,
  removal_operation_id: null,
  removal_force: null,
  removal_status: null,
  removal_step: null,
  removal_completed: null,
  removal_error_code: null,
  removal_started_at: null,
  created_at: NOW,
})
