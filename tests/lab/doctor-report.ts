import assert from 'node:assert/strict'
import { type DoctorReport, doctorReport, repairOf } from '@fleet/contract'
import { waitFor } from '../../lab/wait.ts'
import type { InstalledFleet } from './installed.ts'

export const reportOf = async (fleet: InstalledFleet): Promise<DoctorReport> =>
  doctorReport.parse(await fleet.record('doctor'))

export interface Found {
  readonly code: string
  readonly node: string
  readonly command: string | undefined
}

export const issuesIn = (report: DoctorReport): readonly Found[] =>
  report.nodes.flatMap((node) =>
    node.families.flatMap(({ issues }) =>
      issues.map((issue) => ({
        code: issue.code,
        node: node.node_name,
        command: repairOf(issue.code, { ...issue, ...node }).command,
      })),
    ),
  )

export const codesIn = (report: DoctorReport): readonly string[] =>
  issuesIn(report).map(({ node, code }) => `${node} ${code}`)

export async function assertHealthy(fleet: InstalledFleet): Promise<void> {
  // A service that was started a moment ago may need another one.
  const healthy = await waitFor(20, async () => ((await reportOf(fleet)).healthy ? true : undefined))
  assert.deepEqual(healthy === true ? [] : codesIn(await reportOf(fleet)), [])
}

/** Runs the command that the report names, as it is printed. */
export async function repair(fleet: InstalledFleet, issue: Found | undefined): Promise<void> {
  assert.ok(issue?.command !== undefined, 'the report names a command')
  const { status, stdout, stderr } = await fleet.gateway.fleet(['--yes', ...issue.command.split(' ')])
  assert.equal(status, 0, `${issue.command}\n${stdout}${stderr}`)
}

/** Whatever went wrong: what the reports name, again and again, until the next test may begin. */
export async function restore(fleet: InstalledFleet): Promise<void> {
  for (let round = 0; round < 4; round += 1) {
    const report = await reportOf(fleet)
    if (report.healthy) return
    for (const issue of issuesIn(report).toReversed()) await repair(fleet, issue).catch(() => undefined)
  }
  await assertHealthy(fleet)
}
