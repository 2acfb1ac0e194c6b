// Real hosts: Doctor and converges over a whole fleet beside Ansible, which looks at the same things on the same machines the
// same way; then one blank host made a Node, beside a plain script that does as much to another over ssh.
// FLEET_BENCH_HOSTS says how many Nodes (6), FLEET_BENCH_KEEP=1 leaves them for the next run, `npm run lab -- down` removes them.
import { resolve } from 'node:path'
import { labMissing, placeOf, removeLab } from '../lab/index.ts'
import { type Measure, measure, median, type Report } from './measure.ts'
import { prepareAnsible } from './wide/ansible.ts'
import { enrollBeside } from './wide/enrolment.ts'
import { ensureWideFleet, NoAnsible, type WideFleet } from './wide/fleet.ts'
import { eachNode, secondsOf } from './wide/words.ts'

const ROOT = resolve(import.meta.dirname, '..')

/** Nodes that are worked on at once, here and there. */
const FORKS = 10
/** From here on one round must do: a playbook takes minutes. */
const MANY = 10

export async function* run(): AsyncGenerator<Report> {
  const missing = labMissing()
  if (missing !== undefined) {
    yield { bench: 'fleet-wide', skipped: missing }
    return
  }
  const report = (line: string): void => console.error(line)
  try {
    const fleet = await ensureWideFleet(Number(process.env['FLEET_BENCH_HOSTS'] ?? 6), report)
    yield* compare(fleet)
    yield* enrollBeside(fleet)
  } catch (error) {
    if (!(error instanceof NoAnsible)) throw error
    yield { bench: 'fleet-wide', skipped: error.message }
  } finally {
    if (process.env['FLEET_BENCH_KEEP'] !== '1') await removeLab(placeOf(ROOT, 'bench'))
  }
}

async function* compare(fleet: WideFleet): AsyncGenerator<Measure> {
  const { gateway, nodes, hosts } = fleet
  const ansible = await prepareAnsible(fleet, FORKS)
  const adds = new Map<string, string>()
  for (const host of hosts)
    adds.set(host.name, (await gateway.addWords(host, { roles: ['app-prod'] })).join(' '))
  const works = {
    check: () => ansible.playbook('check'),
    doctor: async () => requireHealthy(await gateway.data(['doctor:run'])),
    apply: () => ansible.playbook('apply'),
    converge: () => eachNode(fleet, FORKS, ({ name }) => `node:converge ${name}`),
    force: () => eachNode(fleet, FORKS, ({ name }) => `node:converge ${name} --force`),
    again: () => eachNode(fleet, FORKS, ({ name }) => adds.get(name) ?? ''),
  }
  // Both sides have their connections open before anything is measured.
  await ansible.ping()
  await works.force()
  const rounds: Record<keyof typeof works, number>[] = []
  while (rounds.length < (nodes.length < MANY ? 2 : 1))
    rounds.push({
      check: await secondsOf(works.check),
      doctor: await secondsOf(works.doctor),
      apply: await secondsOf(works.apply),
      converge: await secondsOf(works.converge),
      force: await secondsOf(works.force),
      again: await secondsOf(works.again),
    })
  const taken = (work: keyof typeof works): number => median(rounds.map((round) => round[work]))
  const reported = (
    bench: string,
    ours: keyof typeof works,
    baseline: string,
    theirs: keyof typeof works,
  ): Measure =>
    measure(
      `fleet-wide-${nodes.length}-${bench}`,
      's',
      taken(ours),
      `ansible-playbook ${baseline}`,
      taken(theirs),
    )
  yield reported('doctor', 'doctor', '--check', 'check')
  yield reported('converge', 'converge', 'unchanged', 'apply')
  yield reported('converge-force', 'force', 'unchanged', 'apply')
  yield reported('enrolled-again', 'again', 'unchanged', 'apply')
}

/** Both sides look at a fleet in which nothing is wrong. */
function requireHealthy(report: unknown): void {
  const { healthy } = report as { readonly healthy: boolean } // as: the declared answer of doctor:run.
  if (!healthy) throw new Error(`Doctor found something: ${JSON.stringify(report)}`)
}
