import type { Domains, Composition } from '#/compose/domains.ts'
import { LATER } from '#/compose/later.ts'
import { lazily } from '#/compose/lazily.ts'
import { ofMachines } from '#/compose/of-machines.ts'
import { ofNodes } from '#/compose/of-nodes.ts'
import { ofWork } from '#/compose/of-work.ts'

/** The domains, each made when it is first asked for. What one needs from a later one is asked for when it is used. */
export const makeDomains = (deps: Composition): Domains =>
  lazily({ ...ofMachines(deps), ...ofNodes(deps), ...ofWork(deps), ...LATER }, deps.fakes)
