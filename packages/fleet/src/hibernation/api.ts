export { type HibernationDomain, makeHibernation } from '#/hibernation/make.ts'
export { HIBERNATION_DEFAULTS, type HibernationDeps, type HibernationSettings } from '#/hibernation/deps.ts'
