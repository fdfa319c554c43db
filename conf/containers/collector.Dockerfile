# The image of heatscope-collector.  From the top folder of the sources:
#
#     docker build -f conf/containers/collector.Dockerfile -t heatscope/collector .
#
# A process that is not root's gets no capabilities from a container's runtime.  So the collector is root's, without
# the capabilities of root: it has the three that the compose file and the DaemonSet give it.
FROM debian:12 AS build
COPY . /src
WORKDIR /src
RUN ./scripts/packages build
RUN ./scripts/build /build --disable-ui --prefix=/usr --sysconfdir=/etc --localstatedir=/var
RUN make -s -C /build install DESTDIR=/image

FROM debian:12-slim
RUN apt-get update && apt-get install -y --no-install-recommends libbpf1 libcap-ng0 libelf1 libjansson4 libnats3.4 libuv1 zlib1g && rm -rf /var/lib/apt/lists
COPY --from=build /image/usr/sbin/heatscope-collector /usr/sbin/heatscope-collector
COPY --from=build /image/usr/lib/heatscope/collector-bus.so /usr/lib/heatscope/collector-bus.so
RUN install -d /var/lib/heatscope
USER 0:10001
ENTRYPOINT ["/usr/sbin/heatscope-collector"]
