#!/usr/bin/python3
"""load.py DRIVER - sends a load by a driver of Python: pymysql, mysqldb, psycopg or asyncpg.

The environment says where and what: MATRIX_PORT, MATRIX_USER, MATRIX_MODE, MATRIX_LOAD (the file), MATRIX_HOWS,
MATRIX_FIRST and MATRIX_ROUNDS.
"""
import asyncio
import os
import ssl
import sys

driver, mode = sys.argv[1], os.environ["MATRIX_MODE"]
at = {"host": "127.0.0.1", "port": int(os.environ["MATRIX_PORT"]), "user": os.environ["MATRIX_USER"]}
first, rounds = int(os.environ["MATRIX_FIRST"]), int(os.environ["MATRIX_ROUNDS"])
hows = os.environ["MATRIX_HOWS"].split(",")
with open(os.environ["MATRIX_LOAD"], encoding="utf-8") as file:
    lines = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
lines = [(int(every), how, text) for every, how, text in lines if how in hows]
insecure = ssl.create_default_context()
insecure.check_hostname, insecure.verify_mode = False, ssl.CERT_NONE


def statements():
    """(how, statement, number) of all rounds."""
    for i in range(first, first + rounds):
        for every, how, text in lines:
            if i % every == 0:
                yield how, text if how == "prepared" else text.replace("%d", str(i)), i


def by_cursor(connection, refused):
    """DB-API drivers of MySQL, which know no prepared statements."""
    cursor = connection.cursor()
    for how, text, _ in statements():
        try:
            cursor.execute(text)
            cursor.fetchall()
        except refused:
            if how != "fails":
                raise
    connection.close()


def psycopg_load():
    import psycopg

    with psycopg.connect(dbname="shop", sslmode="require" if mode == "tls" else "disable", autocommit=True, **at) as c:
        for how, text, i in statements():
            try:
                if how == "prepared":
                    c.execute(text.replace("$1", "%s"), (i,), prepare=True)
                else:
                    c.execute(text, prepare=False)
            except psycopg.Error:
                if how != "fails":
                    raise


async def asyncpg_load():
    import asyncpg

    c = await asyncpg.connect(database="shop", ssl=insecure if mode == "tls" else False, **at)
    prepared = {}
    for how, text, i in statements():
        try:
            if how == "prepared":
                if text not in prepared:
                    prepared[text] = await c.prepare(text)
                await prepared[text].fetch(i)
            else:
                await c.execute(text)
        except asyncpg.PostgresError:
            if how != "fails":
                raise
    await c.close()


if driver == "pymysql":
    import pymysql

    options = {"ssl": insecure} if mode == "tls" else {"ssl_disabled": True}
    by_cursor(pymysql.connect(database="shop", autocommit=True, **options, **at), pymysql.Error)
elif driver == "mysqldb":
    import MySQLdb

    options = {"ssl": {"ca": os.environ["MATRIX_CERT"]}} if mode == "tls" else {"compress": 1} if mode == "zlib" else {}
    connection = MySQLdb.connect(database="shop", **options, **at)
    connection.autocommit(True)
    by_cursor(connection, MySQLdb.Error)
elif driver == "psycopg":
    psycopg_load()
else:
    asyncio.run(asyncpg_load())
