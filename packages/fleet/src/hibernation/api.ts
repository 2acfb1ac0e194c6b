export { type HibernationDomain, makeHibernation } from '#/hibernation/make.ts'
export { HIBERNATION_DEFAULTS, type HibernationParts, type HibernationSettings } from '#/hibernation/parts.ts'
