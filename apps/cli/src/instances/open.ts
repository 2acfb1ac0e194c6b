import { ClientError, EXIT } from '#/exit.ts'
import { instanceOfDirectory } from '#/dependencies/targets.ts'
import { fieldsOf, type GatewayLink, linkOf } from '#/live/gateway-link.ts'
import type { LocalRun } from '#/local/local-run.ts'
import { resolveNames } from '#/names.ts'
import { objectsIn } from '#/print/value.ts'

/** `fleet instance:open`: prints the address of an Instance; a browser is started on request, and only for a person at a terminal. */
export const runOpen: LocalRun = async (context, invocation, members) => {
  const { terminal, openPage, newRequestId, environment } = context
  const { globals, command } = invocation
  const requestId = globals.requestId ?? newRequestId()
  const link = await linkOf(context, invocation)
  const named = { ...members }
  if (named['instance'] === undefined)
    named['instance'] = await instanceOfDirectory(link, environment.currentDirectory())
  await resolveNames(named, command.arguments, (operation) => link.ask(operation), link.ask)
  const url = await addressOf(link, named['instance'], requestId)
  terminal.out(
    globals.json ? `${JSON.stringify({ data: { url }, meta: { request_id: requestId } })}\n` : `${url}\n`,
  )
  if (members['browser'] !== true || globals.json || !terminal.outIsTerminal) return
  if (await openPage(url)) return
  throw new ClientError('browser.unavailable', 'No browser could be started on this machine.', {
    exit: EXIT.refused,
    next: 'Open the address above by hand.',
  })
}

/** Throws `instance.address_missing`. */
async function addressOf(link: GatewayLink, instance: unknown, requestId: string): Promise<string> {
  const record = await link.ask('instance:show', { instance }, { requestId })
  const { id, url, name, project } = fieldsOf(record)
  // An address is given to another program: nothing but a page of the web may be.
  if (typeof url === 'string' && URL.parse(url)?.protocol === 'https:') return url
  const label = `${String(fieldsOf(project)['slug'])}/${String(name)}`
  const domains = await domainsOf(link, id)
  throw new ClientError(
    'instance.address_missing',
    domains.length === 0
      ? `The Instance ${label} has no Route, so it has no address.`
      : `The Instance ${label} has no Route of its own. Other Routes lead to it: ${domains.join(', ')}.`,
    {
      exit: EXIT.refused,
      next: domains.length === 0 ? `fleet route:create DOMAIN --instance ${String(id)}` : 'fleet route:list',
    },
  )
}

/** Domains of other directories of the Instance; none where they cannot be read. */
async function domainsOf(link: GatewayLink, instance: unknown): Promise<readonly string[]> {
  const listed = await link.ask('route:list').catch(() => [])
  return (Array.isArray(listed) ? listed : [])
    .map(fieldsOf)
    .filter(({ targets }) => objectsIn(targets).some((target) => target['instance_id'] === instance))
    .map(({ domain }) => String(domain))
}
