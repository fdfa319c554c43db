# The image of heatscoped, its page and the command heatscope.  From the top folder of the sources:
#
#     docker build -f conf/containers/heatscoped.Dockerfile -t heatscope/heatscoped .
FROM debian:12 AS build
COPY . /src
WORKDIR /src
RUN ./scripts/packages build
RUN ./scripts/build /build --prefix=/usr --sysconfdir=/etc --localstatedir=/var
RUN make -s -C /build install DESTDIR=/image

FROM debian:12-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates fonts-dejavu-core libcairo2 libcurl4 libcyaml1 libglib2.0-0 libgnutls30 libisal2 libjansson4 libmicrohttpd12 libnats3.4 libpng16-16 libprotobuf-c1 libsixel1 libsqlite3-0 libuv1 libyaml-0-2 libzstd1 tzdata zlib1g && rm -rf /var/lib/apt/lists
COPY --from=build /image/usr/sbin/heatscoped /usr/sbin/heatscoped
COPY --from=build /image/usr/lib/heatscope/heatscoped-bus.so /usr/lib/heatscope/heatscoped-bus.so
COPY --from=build /image/usr/bin/heatscope /usr/bin/heatscope
COPY --from=build /image/usr/share/heatscope /usr/share/heatscope
RUN install -d -o 10001 -g 10001 /run/heatscope /var/lib/heatscope
USER 10001:10001
ENTRYPOINT ["/usr/sbin/heatscoped"]
