import assert from "node:assert/strict";
import test from "node:test";
import { aboutOf, isTroubled, keepsHosts, labelsText, mappedFields, mapsText, stateName, summaryOf, withHosts } from "../../src/model/hosts.js";

const source = (state, more = {}) => ({ source: "db1", state, reason: "", labels: {}, ...more });

test("the hosts are summed up by state", () => {
	const counts = { late: 1, away: 0, losing: 2, reporting: 1 };

	assert.equal(summaryOf({ counts, sources: [1, 2, 3, 4] }), "4 hosts: 1 late, 2 losing events, 1 reporting");
	assert.equal(summaryOf({ counts: { idle: 1 }, sources: [1] }), "1 host: 1 idle");
	assert.equal(summaryOf({ counts: {}, sources: [] }), "No collector has ever connected.");
});

test("each state says in words what is wrong", () => {
	assert.equal(aboutOf(source("late", { late: 12.7 }), 100), "its newest data are late by 12 s");
	assert.equal(aboutOf(source("late", { late: 3.25 }), 100), "its newest data are late by 3.3 s");
	assert.equal(aboutOf(source("away", { away_since: 100 }), 100 + 3 * 86400 + 5), "not connected for 3 d");
	assert.equal(aboutOf(source("away", { away_since: null }), 100), "not connected");
	assert.equal(aboutOf(source("losing", { lost: 1, lost_at: 90 }), 100), "1 event lost, the last 10 s ago");
	assert.equal(aboutOf(source("clock", { clock_offset: -130 }), 100), "its clock is slow by 2 min");
	assert.equal(aboutOf(source("clock", { clock_offset: 299.9 }), 100), "its clock is fast by 5 min");
	assert.equal(aboutOf(source("failing", { reason: "no memory" }), 100), "no memory");
	assert.equal(aboutOf(source("reporting"), 100), "");
	assert.ok(isTroubled(source("clock")) && !isTroubled(source("starting")));
	assert.equal(stateName("losing"), "losing events");
	assert.equal(labelsText(source("idle", { labels: { role: "db", zone: "a" } })), "role=db zone=a");
});

test("a copy by host has at most four fields", () => {
	const catalogue = { fields: { latency: { type: "time" } }, types: { time: { arity: "numeric" } }, metrics: [] };
	const inst = (...decomposition) => ({ decomposition });

	assert.deepEqual(withHosts(inst("a", "latency"), catalogue), ["a", "latency", "hostname"]);
	assert.equal(withHosts(inst("a", "b", "c", "d", "latency"), catalogue), null);
	assert.deepEqual(mappedFields(inst("a", "hostname", "latency"), catalogue), ["hostname", "a"]);
	assert.equal(mapsText({ keys: [{ key: "db1", p99: 2e6 }, { key: "db2", p99: 1000 }], more: 3, unit: "ns" }), "db1 p99 2 ms, db2 p99 1 µs and 3 more");
	assert.equal(mapsText({ keys: [], more: 0, unit: "ns", observed: 0.5 }), "no events in this time");
	assert.equal(mapsText({ keys: [], more: 0, unit: "ns", observed: 0 }), "not observed: no collector reported in this time");
	assert.ok(keepsHosts(inst("hostname")) && !keepsHosts(inst("a")));
});
