package dev.blobshuffle.flink.internal.reference;

import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/** The type of the hash edge. With it no generic serializer is needed. Stateless. */
public final class ReferenceType extends TypeInformation<Reference> {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean isBasicType() {
        return false;
    }

    @Override
    public boolean isTupleType() {
        return false;
    }

    @Override
    public int getArity() {
        return 1;
    }

    @Override
    public int getTotalFields() {
        return 1;
    }

    @Override
    public Class<Reference> getTypeClass() {
        return Reference.class;
    }

    @Override
    public boolean isKeyType() {
        return false;
    }

    @Override
    public TypeSerializer<Reference> createSerializer(SerializerConfig config) {
        return ReferenceSerializer.INSTANCE;
    }

    @Override
    public String toString() {
        return "Reference";
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ReferenceType;
    }

    @Override
    public int hashCode() {
        return ReferenceType.class.hashCode();
    }

    @Override
    public boolean canEqual(Object other) {
        return other instanceof ReferenceType;
    }
}
