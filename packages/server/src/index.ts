export { runOperator } from './operator/run-operator.ts';
