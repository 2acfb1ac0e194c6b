import type { Stage } from './stage.ts'

/** Real commands for what is really stored; a terminal is all they need. */
export async function showNext({ client, env, fleet, screen, stopping }: Stage): Promise<void> {
  const instances = await client.call('instance:list', {}, { signal: stopping }).then(
    ({ data }) => data,
    () => [],
  )
  const [instance] = instances
  const fleetCommand = env.isDefaultHome ? './fleet' : `FLEET_HOME=${fleet.home.path} ./fleet`
  screen.heading('Try next, in another terminal')
  screen.command(
    `${fleetCommand} node:list`,
    'the Nodes; every operation of the API is a command, see --help',
  )
  if (instance) {
    screen.command(
      `${fleetCommand} instance:show ${instance.id}`,
      `${instance.project.slug}/${instance.name} with all its facts`,
    )
    screen.command(
      `${fleetCommand} env:update ${instance.id} SHOP_CURRENCY CHF`,
      'stores one value; the file waits',
    )
    screen.command(`${fleetCommand} env:sync ${instance.id}`, 'writes the file on the Node')
  }
  screen.command(`${fleetCommand} activity:list --limit 10`, 'who asked for what, and what came of it')
  const [, stranger] = fleet.nodes
  if (instance && stranger)
    screen.command(
      `curl --cacert ${fleet.caFile} --interface ${stranger.address} ${fleet.baseUrl}/api/v1/instances/${instance.id}`,
      `the same as ${stranger.name}, which has no grant on ${instance.node.name}: a 403`,
    )
  screen.line()
  screen.line(`  Reference page   ${fleet.baseUrl}/docs`)
  screen.line(`  MCP server       ${fleet.baseUrl}/mcp`)
  screen.line(`  Root certificate ${fleet.caFile}`)
  screen.line()
  screen.line('Every user of this machine can reach this fleet: it is for trying out. Ctrl-C stops it, and')
  screen.line(`everything stays in ${fleet.home.path} for the next start.`)
  screen.line()
}
