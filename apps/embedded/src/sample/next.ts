import type { InstanceData } from '@fleet/contract'
import { hasStoredGateway } from '#/env.ts'
import { commandLine } from './command-line.ts'
import { pageOf } from './page.ts'
import type { Stage } from './stage.ts'

/** Real commands for what is really stored; a terminal is all they need. */
export async function showNext(stage: Stage): Promise<void> {
  const { client, env, fleet, screen, stopping } = stage
  const instances = await client.call('instance:list', {}, { signal: stopping }).then(
    ({ data }) => data,
    // What to try next is worth no failed start.
    () => [],
  )
  const command = commandLine({
    home: fleet.home.path,
    isDefaultHome: env.isDefaultHome,
    isShadowed: hasStoredGateway(),
  })
  screen.heading('Try next, in another terminal')
  screen.command(`${command} node:list`, 'the Nodes; every operation of the API is a command, see --help')
  if (fleet.hasAgents)
    screen.command(`${command} top`, 'the Nodes live, as their agents in this process report them')
  const [instance] = instances
  if (instance) showForInstance(stage, command, instance)
  screen.command(`${command} activity:list --limit 10`, 'who requested what, and the outcome')
  showPlaces(stage)
}

function showForInstance({ fleet, screen }: Stage, command: string, instance: InstanceData): void {
  const name = `${instance.project.slug}/${instance.name}`
  screen.command(`${command} instance:show ${name}`, 'all details of one Instance')
  screen.command(
    `printf CHF | ${command} env:update ${name} SHOP_CURRENCY`,
    'stores one value, here from a pipe; without a pipe it asks',
  )
  screen.command(`${command} env:sync ${name}`, 'writes the file on the Node')
  if (fleet.hasAgents) {
    const logs = `${instance.checkout_path}/storage/logs`
    screen.command(
      `mkdir -p ${logs} && date '+[%F %T] local.INFO: Hello' >>${logs}/laravel.log`,
      'writes a line to the framework log, as the application would',
    )
    screen.command(
      `${command} instance:logs ${name}`,
      `reads it through the agent of ${instance.node.name}; --follow continues until Ctrl-C`,
    )
  }
  const other = fleet.nodes.find(({ id }) => id !== instance.node_id)
  if (!other) return
  screen.command(
    `${command} instance:create ${instance.project.slug} ${other.name} next`,
    `checks the branch \`next\` out on ${other.name}`,
  )
  screen.command(
    `curl --cacert ${fleet.caFile} --interface ${other.address} ${fleet.baseUrl}/api/v1/instances/${instance.id}`,
    `the API as ${other.name} sees it: a 403, because it has no grant on ${instance.node.name}`,
  )
}

function showPlaces({ env, fleet, screen }: Stage): void {
  screen.line()
  screen.line(`  Reference page    ${fleet.baseUrl}/docs`)
  const page = pageOf(fleet)
  if (page !== undefined && env.sample) screen.line(`  Sample page       ${page}`)
  screen.line(`  MCP server        ${fleet.baseUrl}/mcp`)
  screen.line(`  Root certificate  ${fleet.caFile}`)
  screen.line()
  screen.line('Every user of this machine can reach this fleet: use it for evaluation only. Ctrl-C stops it;')
  screen.line(`its data stays in ${fleet.home.path} for the next start.`)
  screen.line()
}
