'use strict';

/**
 * Runs one exploit proof against the package installed in a project:
 *
 *   node <proof> <projectDir>
 *
 * One line is printed. Exit status: 0 the exploit failed, 1 the exploit worked, 2 the proof says nothing, because the
 * package is missing, normal use of it is broken, or the proof itself failed.
 */

const fs = require('node:fs');
const path = require('node:path');

const FAILED = 0;
const WORKED = 1;
const UNDECIDED = 2;

/**
 * @param {object} proof
 * @param {string} proof.id the vulnerability
 * @param {string} proof.name the package
 * @param {(load: (entry?: string) => any) => unknown} proof.normalUse throws when the package no longer does its work
 * @param {(load: (entry?: string) => any) => unknown} proof.exploit gives how the exploit worked, or undefined
 */
async function prove(proof) {
  const { id, name, normalUse, exploit } = proof;
  const load = loaderFor(name);
  const undecided = (reason) => (error) => conclude(UNDECIDED, `${id} in ${name}: ${reason}: ${firstLine(error)}`);
  process.on('uncaughtException', undecided('no result'));
  try {
    load();
  } catch (error) {
    return undecided('no result')(error);
  }
  try {
    await normalUse(load);
  } catch (error) {
    return undecided('normal use is broken')(error);
  }
  try {
    const effect = await exploit(load);
    if (effect) conclude(WORKED, `${id} in ${name}: VULNERABLE, ${effect}`);
    else conclude(FAILED, `${id} in ${name}: safe, the exploit failed`);
  } catch (error) {
    undecided('no result')(error);
  }
}

/** Loads the project's own copy: one found in a folder above would prove nothing about the project. */
function loaderFor(name) {
  return function load(entry) {
    if (!process.argv[2]) throw new Error('usage: node <proof> <projectDir>');
    const projectDir = fs.realpathSync(process.argv[2]);
    const file = require.resolve(entry ? `${name}/${entry}` : name, { paths: [projectDir] });
    if (!file.startsWith(projectDir + path.sep)) throw new Error(`${name} is not installed in ${projectDir}`);
    return require(file);
  };
}

/** Whether running `action` left a mark on the objects that every part of the program shares. Cleans up after it. */
function pollutes(action) {
  const shared = { Object, 'Object.prototype': Object.prototype, 'Array.prototype': Array.prototype,
    'Function.prototype': Function.prototype, 'Number.prototype': Number.prototype,
    'String.prototype': String.prototype, toString: Object.prototype.toString };
  try {
    action();
  } catch {
    // An exploit that is answered with an exception has failed, unless it left its mark first.
  }
  const reached = Object.keys(shared).filter((owner) => Object.hasOwn(shared[owner], 'polluted'));
  for (const owner of reached) delete shared[owner].polluted;
  return reached.length > 0 ? `${reached.join(' and ')} can be written to` : undefined;
}

function firstLine(error) {
  return String(error?.message ?? error).split('\n')[0];
}

function conclude(status, sentence) {
  process.exitCode = status;
  fs.writeSync(1, `${sentence}\n`);
}

module.exports = { prove, pollutes };
